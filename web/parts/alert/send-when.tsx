/** The conditions of an alert: visitors, demos and intent levels. */
import { useAnswer } from "../../query.ts";
import { RadioCards } from "../../ui/radio-cards.tsx";
import type { FieldErrors } from "../field-errors.ts";
import type { AlertState } from "./alert-state.ts";
import { AUDIENCES } from "./audience-words.ts";
import { ChipsInput } from "./chips-input.tsx";

interface Props {
  readonly state: AlertState;
  readonly errors: FieldErrors;
  readonly onChange: (state: AlertState, ...keys: readonly string[]) => void;
}

export function SendWhen({ state, errors, onChange }: Props) {
  const { data } = useAnswer("GET /alerts/suggestions");
  return (
    <>
      <RadioCards
        legend="Send when"
        options={AUDIENCES}
        value={state.audience}
        error={errors["audience"]}
        onChange={(audience) => onChange({ ...state, audience }, "audience")}
      />
      <ChipsInput
        label="Only these demos"
        help="Names as they are in the product. Press Enter after each; leave it empty for every demo."
        noun="demo"
        placeholder="Every demo"
        words={state.demos}
        suggestions={data?.demos ?? []}
        error={errors["demos"]}
        onChange={(demos) => onChange({ ...state, demos }, "demos")}
      />
      <ChipsInput
        label="Only these intent levels"
        help="Such as high. Press Enter after each; leave it empty for every level."
        noun="intent level"
        placeholder="Every level"
        words={state.intentLevels}
        suggestions={data?.intentLevels ?? []}
        error={errors["intentLevels"]}
        onChange={(intentLevels) => onChange({ ...state, intentLevels }, "intentLevels")}
      />
    </>
  );
}
