/** One attempt: its request and its answer, how long each part took, and how to repeat it by curl. */
import clsx from "clsx";
import { useState } from "react";
import type { AttemptView } from "../../../src/dashboard/contract/deliveries.ts";
import type { BytesView, ExplainedOutcome, ResponseView } from "../../../src/dashboard/contract/outcomes.ts";
import { MASK, secretVariables, type SentRequest, toCurl } from "../../curl.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field, Input } from "../../ui/field.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { number } from "../../words.ts";
import { responseTime } from "../deliveries/filters.ts";
import { JsonTree } from "../json/json-tree.tsx";
import { isPulled } from "../../../src/domain/pull.ts";
import { LogTime } from "./log-time.tsx";
import { redirected, type TimingSegment, timingSegments } from "./attempts.ts";

interface Props {
  readonly attempt: AttemptView;
}

interface DetailsProps extends Props {
  /** What to do and the time stand above already. */
  readonly isTold: boolean;
  /** Where its body stands, in words. */
  readonly bodyPlace: string;
}

export function AttemptDetails({ attempt, isTold, bodyPlace }: DetailsProps) {
  const { outcome, startedAtMs } = attempt;
  // Several attempts may be open at once, and each block is a place of its own for readers of the screen.
  const where = `, attempt ${attempt.number}`;
  return (
    <div className="mt-2 min-w-0 space-y-3 rounded-lg border border-line p-3">
      <p className="[overflow-wrap:anywhere]">
        {outcome.sentence} {!isTold && outcome.advice !== "" && <span className="text-ink-soft">{outcome.advice}</span>}
      </p>
      {!isTold && (
        <p className="text-sm text-ink-soft">
          <LogTime atMs={startedAtMs} />
        </p>
      )}
      <Timings outcome={outcome} />
      {!isPulled(attempt) && (
        <Tabs
          label={`Attempt ${attempt.number}`}
          tabs={[
            { id: "response", label: "Response", content: <ResponseDetails outcome={outcome} where={where} /> },
            { id: "request", label: "Request", content: <Request attempt={attempt} bodyPlace={bodyPlace} /> },
          ]}
        />
      )}
    </div>
  );
}

function Request({ attempt, bodyPlace }: Omit<DetailsProps, "isTold">) {
  const { url, requestHeaders } = attempt;
  const lines = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`);
  const hasSecrets = Object.values(requestHeaders).includes(MASK);
  return (
    <div className="space-y-2">
      <CodeBlock
        label={`Request line and headers, attempt ${attempt.number}`}
        code={[`POST ${url}`, ...lines].join("\n")}
        isWrapped
      />
      <p className="text-sm text-ink-soft">
        {hasSecrets && "Secret values were sent; they are not shown. "}
        {bodyPlace}
      </p>
    </div>
  );
}

/* An answer as it came: status, headers, body, and what is missing of it. All of it is from outside, shown as text. */

interface ResponseDetailsProps {
  readonly outcome: ExplainedOutcome;
  /** Ends the names of its blocks where a page has several answers: ", attempt 2". */
  readonly where?: string;
}

export function ResponseDetails({ outcome, where = "" }: ResponseDetailsProps) {
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
        <Body response={response} where={where} />
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

function Body({ response: { body, headers }, where }: Pick<ResponseProps, "response" | "where">) {
  if (body.kind === "binary") {
    const said = [headers["content-type"], headers["content-encoding"]].filter(Boolean).join(", ");
    return (
      <>
        <p className="text-ink-soft">
          The body is not text: {number(body.bytes)} bytes, shown as Base64.
          {said !== "" && ` Its headers say: ${said}.`}
        </p>
        <CodeBlock label={`Response body, Base64${where}`} code={body.base64} isWrapped />
      </>
    );
  }
  if (body.text === "") return <p className="text-ink-soft">The response had no body.</p>;
  return <JsonTree label={`Response body${where}`} text={body.text} />;
}

/* Where the time of an attempt went: one bar, and each piece in words beside it. */

interface TimingsProps {
  readonly outcome: ExplainedOutcome;
}

/** Neither green nor amber: they would judge an attempt by where its time went. Red is time without an answer. */
const COLORS: Readonly<Record<TimingSegment["id"], { readonly fill: string; readonly ground: string }>> = {
  dns: { fill: "fill-info-mark/45", ground: "bg-info-mark/45" },
  connect: { fill: "fill-info-mark", ground: "bg-info-mark" },
  tls: { fill: "fill-accent", ground: "bg-accent" },
  waiting: { fill: "fill-line-strong", ground: "bg-line-strong" },
  reading: { fill: "fill-ink-soft", ground: "bg-ink-soft" },
  other: { fill: "fill-bad-mark", ground: "bg-bad-mark" },
};

const PHASES: Readonly<Record<NonNullable<ExplainedOutcome["phase"]>, string>> = {
  dns: "looking up the name",
  connect: "connecting",
  headers: "waiting for the answer",
  body: "reading the answer",
};

export function Timings({ outcome: { timings, address, phase, response } }: TimingsProps) {
  const segments = timingSegments(timings, response !== null);
  return (
    <div className="space-y-2 text-sm text-ink-soft">
      {segments.length > 0 && (
        <svg aria-hidden="true" className="block h-2 w-full overflow-hidden rounded-full bg-hover">
          {segments.map(({ id, start, share }) => (
            <rect key={id} x={percent(start)} width={percent(share)} height="100%" className={COLORS[id].fill} />
          ))}
        </svg>
      )}
      <ul aria-label="Where the time went" className="flex flex-wrap gap-x-4 gap-y-0.5">
        {segments.map(({ id, label, ms }) => (
          <li key={id} className="inline-flex items-baseline gap-1.5">
            <span
              aria-hidden="true"
              className={clsx("size-2 shrink-0 rounded-full forced-colors:border", COLORS[id].ground)}
            />
            {label} <span className="whitespace-nowrap text-ink tabular-nums">{responseTime(ms)}</span>
          </li>
        ))}
        <li>
          Total <span className="text-ink tabular-nums">{responseTime(timings.totalMs)}</span>
        </li>
      </ul>
      <p className="[overflow-wrap:anywhere]">
        {address === null ? "No address was reached." : `Reached at ${address}.`}
        {phase !== null && ` The time ran out while ${PHASES[phase]}.`}
        {address !== null && timings.connectMs === null && " An open connection was used again."}
      </p>
    </div>
  );
}

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;

/* The request as a command for another address, such as one on the developer's own machine. */

interface CurlDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly request: SentRequest;
}

export function CurlDialog({ isOpen, onClose, request }: CurlDialogProps) {
  const [address, setAddress] = useState("http://localhost:3000");
  const target = redirected(request, address);
  const command = target === null ? "" : toCurl(target);
  const variables = [...secretVariables(request.headers).values()].map((name) => `$${name}`);
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="cURL for another address"
      isWide
      footer={
        <CopyButton
          label="Copy command"
          tone="primary"
          size="md"
          text={command}
          disabledReason={target === null ? "The address can’t be used." : undefined}
        />
      }
    >
      <div className="space-y-4">
        <Field
          label="Address"
          help="The webhook’s path is kept unless you give another."
          error={target === null ? "Enter an address such as http://localhost:3000." : undefined}
        >
          {(control) => (
            <Input {...control} isCode value={address} onChange={(event) => setAddress(event.target.value)} />
          )}
        </Field>
        <CodeBlock label="Command" code={command} canCopy={false} isWrapped />
        <ul className="list-disc space-y-1 pl-5 text-sm">
          <li>The signature and its time are those of the last attempt: code that checks the time refuses old ones.</li>
          {variables.length > 0 && (
            <li>Secret values are left out: set {variables.join(", ")} in your shell before you run it.</li>
          )}
        </ul>
      </div>
    </Dialog>
  );
}
