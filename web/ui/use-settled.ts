/** What somebody types, once they stop: a question for each letter would be answered too late. */
import { useEffect, useState } from "react";

/** Guess: longer than between two letters, shorter than patience. */
const TYPING_MS = 400;

/** The text once it has not changed for a while; at first as it is. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
