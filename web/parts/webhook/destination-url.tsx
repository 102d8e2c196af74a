/** Where a webhook goes, for lists: the host as people know it, and the path cut in its middle where it is long. */
interface Props {
  readonly url: string;
}

export function DestinationUrl({ url }: Props) {
  const { host, rest } = splitUrl(url);
  return (
    <span title={url} className="block max-w-64 min-w-0 [overflow-wrap:anywhere] sm:truncate">
      <span className="font-medium text-ink">{host}</span>
      <span className="text-ink-soft">{shortened(rest)}</span>
    </span>
  );
}

/** A URL without the parts that readers assume: https, and a lone slash. */
function splitUrl(url: string): { readonly host: string; readonly rest: string } {
  try {
    const { protocol, host, pathname, search } = new URL(url);
    const path = pathname === "/" ? "" : pathname;
    return { host: protocol === "https:" ? host : `${protocol}//${host}`, rest: `${path}${search}` };
  } catch {
    return { host: url, rest: "" };
  }
}

const REST_CHARS_MAX = 22;

function shortened(text: string): string {
  if (text.length <= REST_CHARS_MAX) return text;
  const half = Math.floor(REST_CHARS_MAX / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}
