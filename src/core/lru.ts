/** A cache that drops the least recently used entry beyond `limit` entries. */
export function createLruCache<T>(limit: number) {
  // A Map iterates in insertion order, so the first key is the least recently used one.
  const entries = new Map<string, T>();
  return {
    /** The value of a key, which becomes the most recently used one. */
    get(key: string): T | undefined {
      const value = entries.get(key);
      if (value !== undefined) {
        entries.delete(key);
        entries.set(key, value);
      }
      return value;
    },
    set(key: string, value: T): void {
      entries.delete(key);
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
  };
}
