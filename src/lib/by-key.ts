/** Work that is done one at a time for each key, in the order in which it came; of other keys at the same time. */
export interface ByKey {
  run<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

export function createByKey(): ByKey {
  const last = new Map<string, Promise<void>>();
  return {
    async run(key, work) {
      const before = last.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      last.set(key, promise);
      try {
        await before;
        return await work();
      } finally {
        resolve();
        // Nobody has come since.
        if (last.get(key) === promise) last.delete(key);
      }
    },
  };
}
