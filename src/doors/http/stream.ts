/** A stream passed on unchanged, and a promise that resolves when it has ended, however it did. */
export function watchEnd(body: ReadableStream<Uint8Array>): {
  body: ReadableStream<Uint8Array>;
  ended: Promise<void>;
} {
  const reader = body.getReader();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
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
      end();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
  return { body: passed, ended };
}
