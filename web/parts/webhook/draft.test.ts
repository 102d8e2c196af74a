import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { WebhookSettings } from "../../../src/dashboard/contract/destinations.ts";
import {
  addRow,
  changeRow,
  draftOf,
  formOf,
  hasNewOrigin,
  keepsSaved,
  nameRow,
  originOf,
  pasteIntoRow,
  removeRow,
  sends,
} from "./draft.ts";

const SAVED: WebhookSettings = {
  destinationId: "dst_1",
  url: "https://hooks.example.com/in",
  headers: [
    { name: "X-Team", value: "sales", secret: false },
    { name: "X-Api-Key", value: null, secret: true },
  ],
  ratePerSecond: 2.5,
};

const rowsOf = (draft: ReturnType<typeof draftOf>) =>
  draft.rows.map(({ id, name, value, isSecret }) => [id, name, value, isSecret]);

describe("a webhook's draft", () => {
  test("sends what is saved when nothing was touched, and keeps the secret value on the server", () => {
    const { form } = formOf(draftOf(SAVED));
    assert.deepEqual(form, {
      url: "https://hooks.example.com/in",
      headers: [
        { name: "X-Team", value: "sales", secret: false },
        { name: "X-Api-Key", value: null, secret: true },
      ],
      ratePerSecond: 2.5,
    });
  });

  test("asks for saved secrets again when the URL leads to another origin, and not for another path", () => {
    const saved = draftOf(SAVED);
    const moved = { ...saved, url: "https://hooks.example.com/other" };
    const away = { ...saved, url: "https://hooks.example.com:8443/in" };
    const [, key] = saved.rows;
    assert.ok(key !== undefined);
    assert.deepEqual([hasNewOrigin(moved), keepsSaved(moved, key)], [false, true]);
    assert.deepEqual([hasNewOrigin(away), keepsSaved(away, key)], [true, false]);
    assert.equal(formOf(away).form.headers[1]?.value, "");
  });

  test("keeps rows in their order and their ids when one between them is removed", () => {
    const three = addRow(addRow(addRow(draftOf(null))));
    const named = nameRow(nameRow(nameRow(three, 1, "A"), 2, "B"), 3, "C");
    const without = addRow(removeRow(named, 2));
    assert.deepEqual(
      without.rows.map(({ id, name }) => [id, name]),
      [
        [1, "A"],
        [3, "C"],
        [4, ""],
      ],
    );
  });

  test("ticks Secret by the name until somebody has chosen", () => {
    const one = addRow(draftOf(null));
    const ticked = nameRow(one, 1, "X-Api-Key");
    const unticked = changeRow(ticked, 1, (row) => ({ ...row, isSecret: false, isTickChosen: true }));
    assert.deepEqual(
      [nameRow(one, 1, "X-Api").rows, ticked.rows, nameRow(unticked, 1, "Authorization").rows].map(
        ([row]) => row?.isSecret,
      ),
      [false, true, false],
    );
  });

  test("fills an empty row and new ones from pasted lines", () => {
    const pasted = pasteIntoRow(addRow(draftOf(SAVED)), 3, "X-One: 1\nAuthorization: Bearer abc");
    assert.ok(pasted !== null);
    assert.deepEqual(rowsOf(pasted).slice(2), [
      [3, "X-One", "1", false],
      [5, "Authorization", "Bearer abc", true],
    ]);
    assert.equal(new Set(addRow(pasted).rows.map(({ id }) => id)).size, 5);
  });

  test("adds pasted lines behind a row that has something in it, and leaves a single line to the field", () => {
    const draft = draftOf(SAVED);
    assert.deepEqual(
      rowsOf(pasteIntoRow(draft, 1, "a: 1\nb: 2") ?? draft).map(([, name]) => name),
      ["X-Team", "a", "b", "X-Api-Key"],
    );
    assert.equal(pasteIntoRow(draft, 1, "a: 1"), null);
    assert.equal(pasteIntoRow(draft, 1, "just words"), null);
  });

  test("leaves out rows in which nothing was typed", () => {
    const draft = addRow(draftOf(null));
    assert.deepEqual(formOf(draft).form.headers, []);
    assert.equal(sends(draft), sends(draftOf(null)));
  });
});

test("only what can be called has an origin", () => {
  const table = {
    "https://a.example/x": "https://a.example",
    "http://a:80": "http://a",
    "a.example": null,
    "ftp://a": null,
  };
  for (const [url, origin] of Object.entries(table)) assert.equal(originOf(url), origin, url);
});
