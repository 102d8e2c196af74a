/** The fields that all forms share: where it goes, custom headers, body, authentication, and what is kept as given. */
import { type RefObject, Suspense, useState } from "react";
import { useSession } from "../../query.ts";
import { Field, Input } from "../../ui/field.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { hasAuthentication } from "../authentication/authentication-draft.ts";
import { hasOwnRate, noteAddress } from "../body/body-draft.ts";
import { BODIES } from "../body/body-kinds.ts";
import type { WantedEvents } from "../body/wanted-events.ts";
import type { FieldErrors } from "../field-errors.ts";
import { PasteHint } from "../paste-hint.tsx";
import { HeaderRows } from "../headers/header-rows.tsx";
import { isPulled, PULL_URL } from "../../../src/domain/pull.ts";
import { TargetChoice } from "./target-choice.tsx";
import { Button } from "../../ui/button.tsx";
import { type WebhookDraft, completeUrl, hasNewOrigin, keepsSaved, withUrl } from "./draft.ts";
import { REQUEST_KEYS } from "./kept-draft.ts";
import { isTooLong } from "./refusals.ts";
import { onDemand } from "../../later.ts";

/** Most webhooks have none, so its fields come in a file of their own when they are wanted. */
const AuthenticationFields = onDemand(
  () => import("../authentication/authentication-fields.tsx"),
  "AuthenticationFields",
);

const KeptFields = onDemand(() => import("./kept-fields.tsx"), "KeptFields");

/** So does what most webhooks send as it is. */
const BodyFields = onDemand(() => import("../body/body-fields.tsx"), "BodyFields");

interface Props {
  readonly draft: WebhookDraft;
  readonly shown: {
    readonly errors: FieldErrors;
    /** Somebody has left the field. */
    readonly leave: (key: string) => void;
  };
  /** `keys` are the fields that have changed. */
  readonly onChange: (draft: WebhookDraft, ...keys: readonly string[]) => void;
  /** Nothing can be changed here; the fieldset around it is disabled. */
  readonly isReadOnly?: boolean;
  /** Whether a program may ask instead of being called. */
  readonly mayBePulled?: boolean;
  /** What the webhook is sent for: the fields and the events that a body is made of. */
  readonly events: WantedEvents;
  /** So that **Use this URL** can move the focus here. */
  readonly urlRef: RefObject<HTMLInputElement | null>;
}

export function WebhookFields(props: Props) {
  const { draft, shown, onChange, isReadOnly = false, mayBePulled = false, events, urlRef } = props;
  const { limits } = useSession();
  const { errors, leave } = shown;
  // Rows count together, so a change in one can mend what was said of the list.
  const change = (next: WebhookDraft, ...keys: readonly string[]): void => onChange(next, ...keys, "headers");
  const [typedUrl, setTypedUrl] = useState(draft.url);
  const isCompleted = draft.url !== typedUrl && draft.url === completeUrl(typedUrl);
  const typeUrl = (url: string): void => {
    setTypedUrl(url);
    change(withUrl(draft, url), "url", "template");
  };
  const asksAgain = hasNewOrigin(draft) && draft.rows.some((row) => row.savedAs !== null);
  const asks = mayBePulled && isPulled(draft);
  return (
    <div className="space-y-5">
      {mayBePulled && <TargetChoice isPulled={asks} onChange={() => typeUrl(asks ? "" : PULL_URL)} />}
      {!asks && (
        <>
          <Field
            label="Webhook URL"
            error={errors["url"]}
            help={
              asksAgain
                ? "This is another server. Saved secret values are not sent to it: enter them again below."
                : undefined
            }
          >
            {(control) => (
              <>
                <Input
                  {...control}
                  isCode
                  type="url"
                  inputMode="url"
                  ref={urlRef}
                  placeholder="https://example.com/webhooks"
                  value={draft.url}
                  onChange={({ target: { value } }) => {
                    typeUrl(value);
                    // Said while it is typed or pasted: all of it is still there to be shortened.
                    if (isTooLong(value, limits)) leave("url");
                  }}
                  onBlur={() => draft.url !== "" && leave("url")}
                />
                <PasteHint kind="url" value={draft.url} control={control.id} error={errors["url"]} onUse={typeUrl} />
                <div role="status">
                  {isCompleted && <p className="mt-1.5 text-sm text-ink-soft">https:// was added in front.</p>}
                </div>
              </>
            )}
          </Field>
          <ChatNote draft={draft} onChange={(next) => change(next, "template")} isReadOnly={isReadOnly} />
        </>
      )}
      <HeaderRows
        list={draft}
        keepsSaved={(row) => keepsSaved(draft, row)}
        errors={errors}
        onChange={(list, ...keys) => change({ ...draft, ...list }, ...keys)}
        onLeave={leave}
        isReadOnly={isReadOnly}
      />
      <div className="divide-y divide-line rounded-md border border-line">
        <div>
          <Fold
            summary={`Body: ${BODIES[draft.body.kind].label}`}
            isUsed={draft.body.kind === "template"}
            isForced={errors["template"] !== undefined}
          >
            <Suspense fallback={<Skeleton className="h-60" />}>
              <BodyFields
                draft={draft.body}
                error={errors["template"]}
                events={events}
                onChange={(body) => change({ ...draft, body }, "template")}
                onLeave={() => leave("template")}
                isReadOnly={isReadOnly}
              />
            </Suspense>
          </Fold>
        </div>
        {!asks && (
          <div>
            <RequestFold draft={draft} shown={shown} onChange={change} isReadOnly={isReadOnly} />
          </div>
        )}
        <div>
          <Fold summary="Tags" isUsed={draft.kept.tags !== ""} isForced={errors["tags"] !== undefined}>
            <Suspense fallback={<Skeleton className="h-16" />}>
              <KeptFields
                keys={["tags"]}
                draft={draft.kept}
                errors={errors}
                onChange={(kept) => change({ ...draft, kept }, "tags")}
                onLeave={leave}
              />
            </Suspense>
          </Fold>
        </div>
      </div>
    </div>
  );
}

/** What only a request has. */
function RequestFold({ draft, shown, onChange, isReadOnly }: RequestFoldProps) {
  const { errors, leave } = shown;
  return (
    <Fold
      summary="Authentication, rate and order"
      isUsed={
        hasAuthentication(draft.authentication) ||
        draft.authentication.saved !== null ||
        hasOwnRate(draft) ||
        draft.kept.oneAtATime !== ""
      }
      isForced={Object.keys(errors).some(
        (key) => key.startsWith("authentication") || REQUEST_KEYS.some((own) => own === key),
      )}
    >
      <Suspense fallback={<Skeleton className="h-40" />}>
        <AuthenticationFields
          draft={draft.authentication}
          hasMoved={hasNewOrigin(draft)}
          errors={errors}
          onChange={(authentication, ...keys) => onChange({ ...draft, authentication }, ...keys)}
          onLeave={leave}
          isReadOnly={isReadOnly}
        />
        <KeptFields
          keys={REQUEST_KEYS}
          draft={draft.kept}
          errors={errors}
          onChange={(kept, key) => onChange({ ...draft, kept }, key)}
          onLeave={leave}
        />
      </Suspense>
    </Fold>
  );
}

type RequestFoldProps = Required<Pick<Props, "draft" | "shown" | "onChange" | "isReadOnly">>;

interface NoteProps {
  readonly draft: WebhookDraft;
  readonly onChange: (draft: WebhookDraft) => void;
  readonly isReadOnly: boolean;
}

/** The tool whose address was pasted, and what follows from it. */
function ChatNote({ draft, onChange, isReadOnly }: NoteProps) {
  const note = noteAddress(draft);
  return (
    <div role="status" className="-mt-3 empty:hidden">
      {note !== null && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-ink-soft">
          <p className="min-w-0">{note.words}</p>
          {!isReadOnly && (
            <Button size="sm" onClick={() => onChange(note.after)}>
              {note.action}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
