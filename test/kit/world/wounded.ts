/** Requests and answers of HTTP that are broken in up to two places, for readers of either. */
import fc from "fast-check";

/** These break readers of HTTP. */
const odd = fc.constantFrom("\r", "\n", "\r\n", "\0", " ", "\t", ":", ";", ",", "0", "9", "f", "-", "\x7f", "\xff", "");
const wound = fc.record({ at: fc.nat(400), length: fc.nat(2), text: odd });

export const wounded = (message: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(message, fc.array(wound, { maxLength: 2 })).map(([whole, wounds]) =>
    wounds.reduce((sum, { at, length, text }) => {
      const place = at % (sum.length + 1);
      return sum.slice(0, place) + text + sum.slice(place + length);
    }, whole),
  );
