/** A server that speaks SQS's protocol, for tests: `elasticmq.ts`, and `moto.ts` where there is no Java. */
export interface SqsServer extends AsyncDisposable {
  /** Name and version. */
  readonly name: string;
  readonly url: string;
  readonly port: number;
  /** It may bring a message twice though nothing went wrong. */
  readonly mayRepeat: boolean;
  /** Away for so long, as far as its callers can see. */
  restart(whileAway: () => Promise<void>): Promise<void>;
}
