/** The request as a command for another address, such as one on the developer's own machine. */
import { useState } from "react";
import { type SentRequest, secretVariables, toCurl } from "../../curl.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { redirected } from "./sent-request.ts";

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly request: SentRequest;
}

export function CurlDialog({ isOpen, onClose, request }: Props) {
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
