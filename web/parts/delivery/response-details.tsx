/** An answer as it came: status, headers, body, and what is missing of it. All of it is from outside, shown as text. */
import type { BytesView, ExplainedOutcome, ResponseView } from "../../../src/dashboard/contract/outcomes.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { number } from "../../words.ts";
import { JsonTree } from "../json/json-tree.tsx";

interface Props {
  readonly outcome: ExplainedOutcome;
  /** Ends the names of its blocks where a page has several answers: ", attempt 2". */
  readonly where?: string;
}

export function ResponseDetails({ outcome, where = "" }: Props) {
  const { response, technical } = outcome;
  return (
    <div className="space-y-3">
      {response === null ? (
        <p className="text-ink-soft">
          {outcome.timings.firstByteMs === null
            ? "No response came."
            : "A response began, but it was never complete. Nothing of it is kept."}
        </p>
      ) : (
        <Response response={response} status={outcome.status} where={where} />
      )}
      {technical !== "" && <CodeBlock label={`Technical words${where}`} code={technical} isWrapped />}
    </div>
  );
}

interface ResponseProps {
  readonly response: ResponseView;
  readonly status: string;
  readonly where: string;
}

function Response({ response, status, where }: ResponseProps) {
  const headers = Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <CodeBlock label={`Status and headers${where}`} code={[`HTTP ${status}`, ...headers].join("\n")} isWrapped />
      {response.isPurged ? (
        <p className="text-ink-soft">The response’s body has reached the end of its retention time and was deleted.</p>
      ) : (
        <Body body={response.body} where={where} />
      )}
      {response.isCut && (
        <p className="text-sm text-ink-soft">It was longer; its first {sizeInWords(response.body)} are kept.</p>
      )}
    </>
  );
}

/** "16 KB": what is there, not what the limit may be. */
function sizeInWords(body: BytesView): string {
  const bytes = body.kind === "binary" ? body.bytes : new TextEncoder().encode(body.text).length;
  return bytes < 1024 ? `${bytes} bytes` : `${number(Math.round(bytes / 1024))} KB`;
}

function Body({ body, where }: { readonly body: BytesView; readonly where: string }) {
  if (body.kind === "binary") {
    return (
      <>
        <p className="text-ink-soft">The body is not text: {number(body.bytes)} bytes, shown as Base64.</p>
        <CodeBlock label={`Response body, Base64${where}`} code={body.base64} isWrapped />
      </>
    );
  }
  if (body.text === "") return <p className="text-ink-soft">The response had no body.</p>;
  return <JsonTree label={`Response body${where}`} text={body.text} />;
}
