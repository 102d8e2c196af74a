/** Conditions as forms have them: an empty list is none. `events/condition-fields.ts` checks them. */
import Type from "typebox";
import { CONDITION_JOINS, CONDITION_OPERATORS } from "./conditions.ts";
import { CLOSED, type FormOf } from "./form.ts";
import { LIMITS } from "./limits.ts";

const conditionForm = Type.Object(
  {
    field: Type.String(),
    operator: Type.Enum([...CONDITION_OPERATORS]),
    /** Not looked at for `known` and `not_known`. */
    value: Type.Optional(Type.String()),
    /** For `one_of` and `none_of`, in the place of `value`. */
    values: Type.Optional(Type.Array(Type.String(), { maxItems: 10 * LIMITS.conditionValuesMax })),
  },
  CLOSED,
);

export const conditionsForm = Type.Object(
  {
    join: Type.Enum([...CONDITION_JOINS]),
    list: Type.Array(conditionForm, { maxItems: 10 * LIMITS.conditionsMax }),
  },
  CLOSED,
);

export type ConditionsForm = FormOf<typeof conditionsForm>;
export type ConditionForm = ConditionsForm["list"][number];
