/** The credentials with which the service gets its access token. A saved client secret is never shown again. */
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { RadioCards } from "../../ui/radio-cards.tsx";
import { PasteHint } from "../paste-hint.tsx";
import { type AuthenticationDraft, keepsClientSecret } from "./authentication-draft.ts";
import type { AuthenticationProps } from "./authentication-props.ts";
import { SavedSecret, TypedSecret } from "./saved-secret.tsx";

type TextField = "tokenUrl" | "clientId" | "scope" | "audience";

export function TokenFields(props: AuthenticationProps) {
  const { draft, onChange, isReadOnly } = props;
  return (
    <div className="space-y-4">
      <Text
        {...props}
        field="tokenUrl"
        label="Token URL"
        help="Where your identity provider gives out access tokens."
        placeholder="https://login.example.com/oauth/token"
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <Text {...props} field="clientId" label="Client id" />
        <ClientSecret {...props} />
        <Text {...props} field="scope" label="Scope" isOptional help="Names with blanks between them." />
        <Text {...props} field="audience" label="Audience" isOptional help="If your identity provider asks for one." />
      </div>
      <RadioCards
        isRow
        legend="Credentials are sent"
        options={WAYS}
        value={draft.clientAuthentication}
        disabled={isReadOnly}
        onChange={(clientAuthentication) => onChange({ ...draft, clientAuthentication })}
      />
    </div>
  );
}

const WAYS = [
  { value: "basic", label: "In the Authorization header" },
  { value: "post", label: "In the request’s body" },
] as const;

interface TextProps extends AuthenticationProps {
  readonly field: TextField;
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly isOptional?: boolean;
}

function Text({ draft, errors, onChange, onLeave, field, label, help, placeholder, isOptional = false }: TextProps) {
  const key = `authentication.oauth.${field}`;
  const changed = (value: string): AuthenticationDraft => ({ ...draft, [field]: value });
  return (
    <Field label={label} help={help} error={errors[key]} isOptional={isOptional}>
      {(control) => (
        <>
          <Input
            {...control}
            isCode
            placeholder={placeholder}
            value={draft[field]}
            onChange={({ target: { value } }) => onChange(changed(value), key, SECRET)}
            onBlur={() => draft[field] !== "" && onLeave(key)}
          />
          <PasteHint
            kind={field === "tokenUrl" ? "url" : "words"}
            value={draft[field]}
            control={control.id}
            error={errors[key]}
            onUse={(value) => onChange(changed(value), key, SECRET)}
          />
        </>
      )}
    </Field>
  );
}

const SECRET = "authentication.oauth.clientSecret";

function ClientSecret({ draft, hasMoved, errors, onChange, onLeave, isReadOnly }: AuthenticationProps) {
  const isKept = keepsClientSecret(draft, hasMoved);
  const replace = (isSecretReplaced: boolean) => onChange({ ...draft, clientSecret: "", isSecretReplaced }, SECRET);
  const wasSaved = draft.saved !== null && draft.saved.oauth !== null;
  const isElsewhere = wasSaved && !isKept && !draft.isSecretReplaced;
  if (isKept) {
    const saved = { label: "Client secret", error: errors[SECRET], isReadOnly };
    return <SavedSecret {...saved} onReplace={() => replace(true)} />;
  }
  return (
    <TypedSecret
      label="Client secret"
      error={errors[SECRET]}
      help={isElsewhere ? "Another server: enter the secret again." : "It is not shown again once it is saved."}
      value={draft.clientSecret}
      onValue={(clientSecret) => onChange({ ...draft, clientSecret }, SECRET)}
      onLeave={() => onLeave(SECRET)}
      onKeep={wasSaved && draft.isSecretReplaced ? () => replace(false) : null}
    />
  );
}
