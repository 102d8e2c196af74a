/** A real SMTP server on loopback that keeps what it is given; or refuses it, when a test says so. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The message as it came: headers, blank line, body. */
  readonly source: string;
}

export interface MailServer extends AsyncDisposable {
  /** `smtp://127.0.0.1:<port>` */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Answers 451 to every message while it is true. */
  isRefusing: boolean;
  /** By address, the answer that refuses it: `550 5.1.1 no such user`. */
  readonly refused: Map<string, string>;
  /** Each password that a client has handed over, whether over TLS or not. */
  readonly logins: readonly { readonly password: string; readonly isSecure: boolean }[];
  /** Resolves when this many messages have come since the start. */
  received(count: number): Promise<void>;
}

export interface MailServerOptions {
  /** Offers STARTTLS, with a certificate that no authority has signed. */
  readonly offersTls?: boolean;
  /** Lets everybody in who gives a name and a password; refuses all of them when false. */
  readonly takesLogins?: boolean;
}

export async function startMailServer({
  offersTls = false,
  takesLogins = true,
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const waiters: { readonly count: number; readonly wake: () => void }[] = [];
  const state = { isRefusing: false };
  const refused = new Map<string, string>();
  const logins: { readonly password: string; readonly isSecure: boolean }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: offersTls ? [] : ["STARTTLS"],
    // Also where nothing is encrypted: that a client does not use it is its own merit.
    allowInsecureAuth: true,
    onAuth({ username, password }, { secure }, done) {
      logins.push({ password: password ?? "", isSecure: secure });
      if (takesLogins) done(null, { user: username });
      else done(new Error("wrong name or password"));
    },
    onRcptTo({ address }, _session, done) {
      const answer = refused.get(address);
      if (answer === undefined) return done();
      done(Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) }));
    },
    onData(stream, session, done) {
      void Array.fromAsync(stream as AsyncIterable<Buffer>).then((chunks) => {
        if (state.isRefusing) return done(Object.assign(new Error("try again later"), { responseCode: 451 }));
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        mails.push({ from, to: rcptTo.map(({ address }) => address), source: Buffer.concat(chunks).toString() });
        for (const { count, wake } of waiters) if (mails.length >= count) wake();
        done();
      });
    },
  });
  // A client that goes away in the middle is part of some tests.
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refused,
    logins,
    get isRefusing() {
      return state.isRefusing;
    },
    set isRefusing(value) {
      state.isRefusing = value;
    },
    received: (count) =>
      mails.length >= count ? Promise.resolve() : new Promise((wake) => waiters.push({ count, wake })),
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
