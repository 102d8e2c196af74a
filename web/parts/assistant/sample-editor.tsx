/**
 * The event of a test, which is sent or what the body is made of: this assistant's latest conversation or the built-in
 * sample, editable before sending.
 */
import { useAnswer } from "../../query.ts";
import { formatJson } from "../../json-tokens.ts";
import { Badge } from "../../ui/chips.tsx";
import { Button } from "../../ui/button.tsx";
import { ErrorState } from "../../ui/error-state.tsx";
import { Textarea } from "../../ui/controls.tsx";
import { Field } from "../../ui/field.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { findJsonMistake } from "./json-check.ts";

interface Props {
  readonly assistantId: string;
  /** As edited; `null` is the sample. */
  readonly body: string | null;
  /** The webhook sends something that is made of it. */
  readonly isMadeOf: boolean;
  readonly error: string | undefined;
  readonly onEdit: (body: string | null) => void;
  readonly onLeave: () => void;
  readonly isReadOnly: boolean;
}

export function SampleEditor({ assistantId, body, isMadeOf, error, onEdit, onLeave, isReadOnly }: Props) {
  const { data, error: failure, refetch } = useAnswer("GET /assistants/:id/sample", { params: { id: assistantId } });
  if (data === undefined) {
    if (failure !== null) return <ErrorState what="the sample" error={failure} onRetry={refetch} />;
    return <Skeleton className="h-64" />;
  }
  const sample = formatJson(data.body) ?? data.body;
  const text = body ?? sample;
  const edit = (next: string): void => onEdit(next === sample ? null : next);
  return (
    <div>
      <Field
        label="Sample"
        error={error}
        help={error === undefined ? <State body={body} from={data.from} isMadeOf={isMadeOf} /> : undefined}
      >
        {(control) => (
          <Textarea
            {...control}
            isCode
            rows={12}
            readOnly={isReadOnly}
            value={text}
            onChange={(event) => edit(event.target.value)}
            onBlur={onLeave}
          />
        )}
      </Field>
      {body !== null && (
        <Button className="mt-2" size="sm" onClick={() => onEdit(null)}>
          Reset to sample
        </Button>
      )}
    </div>
  );
}

const FROM = {
  latest:
    "The latest conversation of this account, with its visitor’s personal data, laid out for reading. " +
    "A test takes it exactly as it was then.",
  built_in: "The built-in sample, because this account has no conversation yet.",
};

interface StateProps extends Pick<Props, "body" | "isMadeOf"> {
  readonly from: "latest" | "built_in";
}

/** The check goes on while somebody types; the field shows an error only once they have left it. */
function State({ body, from, isMadeOf }: StateProps) {
  if (body === null) return <>{FROM[from]}</>;
  const mistake = findJsonMistake(body);
  return (
    <>
      <Badge tone={mistake === null ? "ok" : "warn"}>{mistake === null ? "Valid JSON" : "Not valid yet"}</Badge>{" "}
      {mistake ?? (isMadeOf ? "Edited: the body is made of it." : "Edited: sent exactly as it stands here.")}
    </>
  );
}
