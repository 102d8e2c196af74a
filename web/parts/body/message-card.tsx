/** A chat message as people will read it, whatever the tool makes of its looks. All of it is shown as text. */
import type { ChatMessage } from "../../../src/dashboard/contract/body-preview.ts";

interface Props {
  /** "Slack message". */
  readonly tool: string;
  readonly message: ChatMessage;
}

export function MessageCard({ tool, message: { headline, paragraphs, facts, link, footer } }: Props) {
  return (
    <figure className="min-w-0 rounded-lg border border-line bg-surface">
      <figcaption className="border-b border-line px-3 py-1.5 text-ink-soft">{tool}</figcaption>
      <div className="space-y-2 border-l-4 border-accent/40 px-3 py-2.5 [overflow-wrap:anywhere]">
        <p className="font-semibold">{headline}</p>
        {paragraphs.map(({ title, text, link: more }, at) => (
          // The parts of one message never move.
          <p key={at} className="whitespace-pre-line">
            {title !== null && <strong className="font-semibold">{title} </strong>}
            {text} {more !== null && <Link words={more.words} />}
          </p>
        ))}
        {facts.length > 0 && (
          <dl className="grid gap-x-4 gap-y-0.5 sm:grid-cols-[auto_1fr]">
            {facts.map(({ name, value }) => (
              <div key={name} className="contents">
                <dt className="text-ink-soft">{name}</dt>
                <dd className="min-w-0">{value}</dd>
              </div>
            ))}
          </dl>
        )}
        {link !== null && (
          <p>
            <Link words={link.words} />
          </p>
        )}
        {footer !== null && <p className="text-xs text-ink-soft">{footer.text}</p>}
      </div>
    </figure>
  );
}

/** It leads out of the page, and this is a picture of it. */
const Link = ({ words }: { readonly words: string }) => <span className="text-accent underline">{words}</span>;
