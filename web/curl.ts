/**
 * A webhook request as a command for a POSIX shell. Run as it stands it sends the very bytes that were sent, but for
 * secret header values: those never reach the page, so they are variables that the reader sets.
 */
export interface SentRequest {
  readonly url: string;
  /** Secret values are masked by the service. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The service's sign in the place of a secret value (MASK in src/delivery/send/request.ts). */
export const MASK = "••••••••";

/** curl makes these from the URL and the body; said twice they would be sent twice. */
const MADE_BY_CURL: ReadonlySet<string> = new Set(["host", "content-length", "connection"]);

/**
 * Linux takes 128 KiB in one argument of a program, and a character may be 4 bytes. `printf` is part of the shell and
 * takes any length.
 */
const ARGUMENT_CHARS_MAX = 32 * 1024;

const BREAK = " \\\n  ";

export function toCurl({ url, headers, body }: SentRequest): string {
  const variables = secretVariables(headers);
  const lines = Object.entries(headers)
    .filter(([name]) => !MADE_BY_CURL.has(name.toLowerCase()))
    .map(([name, value]) => `-H ${headerArgument(name, value, variables.get(name))}`);
  // Without this option curl takes brackets and braces for patterns.
  const globOff = /[[\]{}]/.test(url) ? ["--globoff"] : [];
  const command = ["curl -X POST", ...globOff, quote(url), ...lines];
  if (body.length <= ARGUMENT_CHARS_MAX) return [...command, `--data-raw ${quote(body)}`].join(BREAK);
  return `printf '%s' ${quote(body)} | ${[...command, "--data-binary @-"].join(BREAK)}`;
}

/** The variable of each header with a secret value: `X-Api-Key` is `X_API_KEY`. */
export function secretVariables(headers: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const variables = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== MASK) continue;
    const base = name
      .toUpperCase()
      .replace(/[^A-Z0-9]/g, "_")
      .replace(/^(?=\d)/, "_");
    let variable = base;
    for (let next = 2; taken.has(variable); next += 1) variable = `${base}_${next}`;
    taken.add(variable);
    variables.set(name, variable);
  }
  return variables;
}

function headerArgument(name: string, value: string, variable: string | undefined): string {
  // A name may have a $ or a backquote in it, so only the variable itself stands outside of single quotes.
  if (variable !== undefined) return `${quote(`${name}: `)}"$${variable}"`;
  // "Name:" would take the header away; a semicolon sends it without a value.
  return quote(value === "" ? `${name};` : `${name}: ${value}`);
}

/** In single quotes a shell changes nothing; the quote itself is put in from outside of them. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
