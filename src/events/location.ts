/**
 * The visitor's location. Bodies always carry the object with all its keys; an unknown value is `""`. Source:
 * specification §2.4; decisions §2.
 */
import Type from "typebox";
import type { Static } from "typebox";
import { LABEL_CHARS_MAX, optionalText } from "./fields.ts";

export const SAMPLE_LOCATION = { city: "Lisbon", country: "Portugal", state: "Lisboa" };

const NAMES = {
  city: "City.",
  country: "Country.",
  state: "State, province or region.",
};

const DESCRIPTION = "The visitor's location.";

/** The location as intake accepts it: every value may be missing or null. */
export const locationRecordSchema = Type.Object(
  {
    city: optionalText(LABEL_CHARS_MAX, { description: NAMES.city }),
    country: optionalText(LABEL_CHARS_MAX, { description: NAMES.country }),
    state: optionalText(LABEL_CHARS_MAX, { description: NAMES.state }),
  },
  { additionalProperties: false, description: DESCRIPTION, examples: [SAMPLE_LOCATION] },
);

/** The location as receivers get it. */
export const locationBodySchema = Type.Object(
  {
    city: Type.String({ description: NAMES.city }),
    country: Type.String({ description: NAMES.country }),
    state: Type.String({ description: NAMES.state }),
  },
  { additionalProperties: false, description: `${DESCRIPTION} Unknown values are "".`, examples: [SAMPLE_LOCATION] },
);

type LocationRecord = Static<typeof locationRecordSchema>;
type LocationBody = Static<typeof locationBodySchema>;

/** Fills in `""` for every unknown value. */
export function locationBody(location: LocationRecord | null | undefined): LocationBody {
  return {
    city: location?.city ?? "",
    country: location?.country ?? "",
    state: location?.state ?? "",
  };
}
