export interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** The values of the last `limit` keys used. */
export function createRecent<T>(limit: number): Recent<T> {
  // A Map keeps the order of insertion: what is used moves to the end, what is first goes.
  const entries = new Map<string, T>();
  return {
    get(key: string): T | undefined {
      const value = entries.get(key);
      if (value !== undefined) {
        entries.delete(key);
        entries.set(key, value);
      }
      return value;
    },
    set(key: string, value: T): void {
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest);
    },
  };
}
