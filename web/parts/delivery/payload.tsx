/** The body that was signed and sent. Everything in it is from outside and shown as text. */
import { CodeBlock } from "../../ui/code-block.tsx";
import { JsonTree } from "../json/json-tree.tsx";

/** More than this in coloured pieces would make the page slow (guess); as one text it does not. */
const FORMATTED_CHARS_MAX = 256 * 1024;

interface Props {
  readonly body: string | null;
  readonly label?: string;
}

export function Payload({ body, label = "Request body" }: Props) {
  if (body === null) {
    return <p className="text-ink-soft">The payload has reached the end of its retention time and was deleted.</p>;
  }
  if (body.length > FORMATTED_CHARS_MAX) return <CodeBlock label={`${label}, exact bytes`} code={body} isWrapped />;
  return <JsonTree label={label} text={body} />;
}
