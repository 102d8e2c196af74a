import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiProblem, NetworkLoss } from "../../api-problem.ts";
import { addressesIn, refusalInWords } from "./addresses.ts";

const refused = (path: string, message: string): ApiProblem =>
  new ApiProblem({ status: 422, code: "invalid_form", message: "Some fields.", errors: [{ path, message }] });

test("addresses may stand on lines, or behind commas and semicolons", () => {
  assert.deepEqual(addressesIn(" a@x.example\n\nb@x.example, c@x.example;d@x.example "), [
    "a@x.example",
    "b@x.example",
    "c@x.example",
    "d@x.example",
  ]);
  assert.deepEqual(addressesIn(" \n"), []);
});

test("a refusal names the address that it is about, and says the others as they are", () => {
  const sent = ["a@x.example", "ada@", "c@x.example"];
  const bad = "must be an e-mail address, such as ada@example.com";
  assert.equal(refusalInWords(refused("addresses[1]", bad), sent), `“ada@” ${bad}`);
  assert.equal(refusalInWords(refused("addresses[7]", bad), sent), bad);
  assert.equal(refusalInWords(refused("addresses", "has more than 10 entries"), sent), "has more than 10 entries");
  assert.equal(refusalInWords(new NetworkLoss({}), sent), "The service did not answer. Check your connection.");
  assert.equal(refusalInWords(null, sent), undefined);
});
