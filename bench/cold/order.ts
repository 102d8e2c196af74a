/** The order in which destinations get their webhooks. The names resolve at the bench's name server. */
export interface Order {
  readonly destinations: number;
  /** Every second webhook goes to one of these, in turn, the others to the rest. 0: all take the same turns. */
  readonly busy: number;
}

export const toHost = (destination: number): string => `d${destination}.bench.test`;

export function findDestination({ destinations, busy }: Order, sequence: number): number {
  if (busy === 0) return sequence % destinations;
  const turn = Math.floor(sequence / 2);
  return sequence % 2 === 0 ? turn % busy : busy + (turn % (destinations - busy));
}
