/** The first section of an alert: its name, and which sessions it is sent for. */
import { useSession } from "../../session.ts";
import { Card } from "../../ui/card.tsx";
import { Field } from "../../ui/field.tsx";
import { Input } from "../../ui/input.tsx";
import { ConditionsSection } from "../conditions/conditions-section.tsx";
import { SendWhen } from "./send-when.tsx";
import type { AlertEditor } from "./use-alert-subject.ts";

interface Props {
  readonly editor: AlertEditor;
  /** Why this person may change nothing. */
  readonly ownersOnly: string | undefined;
}

export function ConditionsCard({ editor: { state, shown, change }, ownersOnly }: Props) {
  const { limits } = useSession();
  const { audience, demos, intentLevels, conditions } = state;
  return (
    <Card>
      <fieldset disabled={ownersOnly !== undefined} className="min-w-0 space-y-5">
        <legend className="sr-only">Name and conditions</legend>
        <Field label="Name" error={shown.errors["name"]}>
          {(control) => (
            <Input
              {...control}
              placeholder="New demo leads"
              maxLength={limits.alertNameCharsMax}
              value={state.name}
              onChange={(event) => change({ ...state, name: event.target.value }, "name")}
            />
          )}
        </Field>
        <SendWhen state={state} errors={shown.errors} onChange={change} />
        <ConditionsSection
          legend="More conditions"
          draft={conditions}
          errors={shown.errors}
          onChange={(next, ...keys) => change({ ...state, conditions: next }, ...keys)}
          onLeave={shown.leave}
          isReadOnly={ownersOnly !== undefined}
          tries={{ audience, demos, intentLevels }}
        />
      </fieldset>
    </Card>
  );
}
