/** The place of a chart that has nothing to draw: as high as a plot, so that nothing jumps. */
export function NoDeliveries() {
  return (
    <p className="flex h-40 items-center justify-center rounded-lg border border-dashed border-line text-ink-soft">
      No deliveries in this period
    </p>
  );
}
