/** One attempt: what the service makes of it in words, what came back, what was sent, and where the time went. */
import type { AttemptView } from "../../../src/dashboard/contract/deliveries.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { MASK } from "../../curl.ts";
import { ResponseDetails } from "./response-details.tsx";
import { LogTime } from "./log-time.tsx";
import { Timings } from "./timings.tsx";

interface Props {
  readonly attempt: AttemptView;
}

export function AttemptDetails({ attempt }: Props) {
  const { outcome, number, startedAtMs } = attempt;
  // Several attempts may be open at once, and each block is a place of its own for readers of the screen.
  const where = `, attempt ${number}`;
  return (
    <div className="mt-2 min-w-0 space-y-3 rounded-lg border border-line p-3">
      <p className="[overflow-wrap:anywhere]">
        {outcome.sentence} {outcome.advice !== "" && <span className="text-ink-soft">{outcome.advice}</span>}
      </p>
      <p className="text-sm text-ink-soft">
        <LogTime atMs={startedAtMs} />
      </p>
      <Timings outcome={outcome} />
      <Tabs
        label={`Attempt ${attempt.number}`}
        tabs={[
          { id: "response", label: "Response", content: <ResponseDetails outcome={outcome} where={where} /> },
          { id: "request", label: "Request", content: <Request attempt={attempt} /> },
        ]}
      />
    </div>
  );
}

function Request({ attempt: { number, url, requestHeaders } }: Props) {
  const lines = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}`);
  const hasSecrets = Object.values(requestHeaders).includes(MASK);
  return (
    <div className="space-y-2">
      <CodeBlock
        label={`Request line and headers, attempt ${number}`}
        code={[`POST ${url}`, ...lines].join("\n")}
        isWrapped
      />
      <p className="text-sm text-ink-soft">
        {hasSecrets && "Secret values were sent; they are not shown. "}
        The body is the same in every attempt; it stands below.
      </p>
    </div>
  );
}
