/**
 * A stream passed on unchanged, a promise that resolves when it has ended, however it did, and a
 * function that ends it.
 */
export function watchEnd(body: ReadableStream<Uint8Array>): {
  body: ReadableStream<Uint8Array>;
  ended: Promise<void>;
  end: () => void;
} {
  const reader = body.getReader();
  let resolve = () => {};
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  const passed = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      resolve();
    },
    cancel(reason) {
      resolve();
      return reader.cancel(reason);
    },
  });
  // The reader then finds the end, and the one who passes the stream on with it.
  const end = () => void reader.cancel().catch(() => {});
  return { body: passed, ended, end };
}
