/** The owner of a destination, as every message about destinations names it. */
import Type from "typebox";
import { OWNER_KINDS } from "../domain/event.ts";

/** `name`: how the message has it. */
export function ownerSchema(name: string) {
  return Type.Object(
    {
      kind: Type.Union(
        OWNER_KINDS.map((kind) => Type.Literal(kind)),
        { description: "Demo alert, chat assistant, or a webhook of its own." },
      ),
      id: Type.String({ description: "Its id.", examples: ["alr_01jd3v9k7q"] }),
      name: Type.String({ description: name, examples: ["Leads to CRM"] }),
    },
    { additionalProperties: false, description: "The alert, chat assistant or webhook that has the Webhook URL." },
  );
}
