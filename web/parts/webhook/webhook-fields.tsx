/** The fields that all forms share: Webhook URL, Custom headers, Authentication, and the settings kept as given. */
import { type RefObject, Suspense, useState } from "react";
import { useSession } from "../../query.ts";
import { Field, Input } from "../../ui/field.tsx";
import { Fold } from "../../ui/fold.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { hasAuthentication } from "../authentication/authentication-draft.ts";
import type { FieldErrors } from "../field-errors.ts";
import { PasteHint } from "../paste-hint.tsx";
import { HeaderRows } from "../headers/header-rows.tsx";
import { type WebhookDraft, completeUrl, hasNewOrigin, keepsSaved } from "./draft.ts";
import { isKept, KEPT, KEPT_KEYS } from "./kept-draft.ts";
import { isTooLong } from "./refusals.ts";
import { onDemand } from "../../later.ts";

/** Most webhooks have none, so its fields come in a file of their own when they are wanted. */
const AuthenticationFields = onDemand(
  () => import("../authentication/authentication-fields.tsx"),
  "AuthenticationFields",
);

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
  /** So that **Use this URL** can move the focus here. */
  readonly urlRef: RefObject<HTMLInputElement | null>;
}

export function WebhookFields({ draft, shown, onChange, isReadOnly = false, urlRef }: Props) {
  const { limits } = useSession();
  const { errors, leave } = shown;
  // Rows count together, so a change in one can mend what was said of the list.
  const change = (next: WebhookDraft, ...keys: readonly string[]): void => onChange(next, ...keys, "headers");
  const [typedUrl, setTypedUrl] = useState(draft.url);
  const isCompleted = draft.url !== typedUrl && draft.url === completeUrl(typedUrl);
  const typeUrl = (url: string): void => {
    setTypedUrl(url);
    change({ ...draft, url }, "url");
  };
  const asksAgain = hasNewOrigin(draft) && draft.rows.some((row) => row.savedAs !== null);
  return (
    <div className="space-y-5">
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
      <HeaderRows
        list={draft}
        keepsSaved={(row) => keepsSaved(draft, row)}
        errors={errors}
        onChange={(list, ...keys) => change({ ...draft, ...list }, ...keys)}
        onLeave={leave}
        isReadOnly={isReadOnly}
      />
      <div className="rounded-md border border-line">
        <Fold
          summary="Authentication and rate limit"
          isUsed={
            hasAuthentication(draft.authentication) ||
            draft.authentication.saved !== null ||
            KEPT_KEYS.some((key) => draft.kept[key] !== "")
          }
          isForced={Object.keys(errors).some((key) => key.startsWith("authentication") || isKept(key))}
        >
          <Suspense fallback={<Skeleton className="h-40" />}>
            <AuthenticationFields
              draft={draft.authentication}
              hasMoved={hasNewOrigin(draft)}
              errors={errors}
              onChange={(authentication, ...keys) => change({ ...draft, authentication }, ...keys)}
              onLeave={leave}
              isReadOnly={isReadOnly}
            />
          </Suspense>
          {KEPT_KEYS.map((key) => (
            <Field key={key} isOptional label={KEPT[key].label} error={errors[key]}>
              {(control) => (
                <span className="flex items-center gap-2">
                  <Input
                    {...control}
                    {...KEPT[key].input}
                    value={draft.kept[key]}
                    onChange={({ target: { value } }) =>
                      change({ ...draft, kept: { ...draft.kept, [key]: value } }, key)
                    }
                    onBlur={() => leave(key)}
                  />
                  <span className="text-ink-soft">{KEPT[key].unit}</span>
                </span>
              )}
            </Field>
          ))}
        </Fold>
      </div>
    </div>
  );
}
