/** What an account uses (`src/dashboard/sign-in/uses.ts`), in the words and choices of its pages. Pure. */
import type { EventTypeWords, SessionAnswer } from "../../src/dashboard/contract/session.ts";

type Used = Pick<SessionAnswer, "uses" | "hasWebhooks">;

const joined = (parts: readonly (string | false)[]): string => {
  const words = parts.filter((word) => word !== false);
  return [words.slice(0, -1).join(", "), ...words.slice(-1)].filter((part) => part !== "").join(" or ");
};

/** "session or conversation", "session, conversation or event", "event". */
export const recordWords = ({ uses: { demos, chats }, hasWebhooks }: Used): string =>
  joined([demos && "session", chats && "conversation", hasWebhooks && "event"]);

/** "alert or assistant", "alert, assistant or webhook", "webhook". */
export const ownerWords = ({ uses: { demos, chats }, hasWebhooks }: Used): string =>
  joined([demos && "alert", chats && "assistant", hasWebhooks && "webhook"]);

/** Without those of a kind that is not used. */
export const usedTypes = ({
  eventTypes,
  uses: { demos, chats },
}: Pick<SessionAnswer, "eventTypes" | "uses">): readonly EventTypeWords[] =>
  eventTypes.filter(({ owners }) => (demos || !owners.includes("alert")) && (chats || !owners.includes("assistant")));
