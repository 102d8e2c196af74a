/** A test's request and its answer, exactly; and the same request as a command. Loaded when it is wanted. */
import type { TestAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { ExplainedOutcome } from "../../../src/dashboard/contract/outcomes.ts";
import { secretVariables, toCurl } from "../../curl.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Summary } from "../../ui/fold.tsx";
import { JsonView } from "../../ui/json-view.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { ResponseDetails, Timings } from "../delivery/attempt-details.tsx";

interface TestDetailsProps {
  readonly answer: TestAnswer;
  /** Folded where nothing has to be found out, and once the form has moved on. */
  readonly isOpen: boolean;
}

export function TestDetails({ answer: { request, outcome }, isOpen }: TestDetailsProps) {
  const variables = [...secretVariables(request.headers).values()];
  return (
    <details open={isOpen} className="group min-w-0">
      <Summary>What was sent and what came back</Summary>
      <div className="pb-1">
        <Tabs
          label="Test result"
          tabs={[
            { id: "response", label: "Response", content: <Response outcome={outcome} /> },
            { id: "body", label: "Request body", content: <JsonView label="Request body" text={request.body} /> },
            {
              id: "headers",
              label: "Request headers",
              content: <CodeBlock label="Request headers" code={headerLines(request.url, request.headers)} isWrapped />,
            },
          ]}
        />
        <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1">
          <CopyButton text={toCurl(request)} label="Copy as cURL" tone="plain" />
          {variables.length > 0 && (
            <p className="text-sm text-ink-soft">
              Secret values are left out: set {variables.map((name) => `$${name}`).join(", ")} before you run it.
            </p>
          )}
        </div>
      </div>
    </details>
  );
}

function Response({ outcome }: { readonly outcome: ExplainedOutcome }) {
  return (
    <div className="space-y-3">
      <ResponseDetails outcome={outcome} />
      <Timings outcome={outcome} />
    </div>
  );
}

function headerLines(url: string, headers: Readonly<Record<string, string>>): string {
  return [`POST ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\n");
}
