/** Conditions as they arrive: closed and bounded. `events/condition-fields.ts` checks what they say, row by row. */
import Type from "typebox";
import { CONDITION_JOINS, CONDITION_OPERATORS } from "../../domain/conditions.ts";
import { LIMITS } from "../../domain/limits.ts";

const conditions = Type.Object(
  {
    join: Type.Enum([...CONDITION_JOINS]),
    list: Type.Array(
      Type.Object(
        {
          field: Type.String(),
          operator: Type.Enum([...CONDITION_OPERATORS]),
          value: Type.Optional(Type.String()),
        },
        { additionalProperties: false },
      ),
      { maxItems: 10 * LIMITS.conditionsMax },
    ),
  },
  { additionalProperties: false },
);

export const conditionsForm = Type.Union([conditions, Type.Null()]);
