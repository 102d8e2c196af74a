/** How metrics are declared on a registry: each once, with its name, its help and its labels. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

type Read<Value> = () => Value | Promise<Value>;

export function instrumentsOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter<Label>({ name, help, labelNames, registers }),
    histogram: <Label extends string = never>(name: string, help: string, { buckets, labels }: Bins<Label>) =>
      new Histogram<Label>({ name, help, buckets, labelNames: [...labels], registers }),
    /** Read at each scrape. `null` leaves it out: an old figure would look like a present one. */
    gauge: (name: string, help: string, read: Read<number | null>) =>
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          const value = await read();
          if (value === null) this.remove();
          else this.set(value);
        },
      }),
    /** A series for each value of a label, as they are at the scrape. */
    gaugeBy: <Label extends string>(name: string, help: string, { label, read }: BySeries<Label>) =>
      new Gauge<Label>({
        name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const series = await read();
          this.reset();
          for (const [value, figure] of series) this.set({ [label]: value } as Record<Label, string>, figure);
        },
      }),
  };
}

/** Two gauges of one scrape share one question. */
export function askedOnce<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let asking: Promise<Value> | null = null;
  return () => (asking ??= ask().finally(() => (asking = null)));
}

interface BySeries<Label> {
  readonly label: Label;
  readonly read: Read<Iterable<readonly [labelValue: string, figure: number]>>;
}

interface Bins<Label> {
  readonly buckets: number[];
  readonly labels: readonly Label[];
}
