import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../../e2e/support/source-imports.ts";
import { anchorsOf } from "../../../e2e/book/check-book.ts";
import { bookAddress } from "../../shared/book-address.ts";
import type { MistakeClass } from "../contract/index.ts";
import { bookPages } from "./advice.ts";

/** The words that a page must contain to be worth a link from a class of mistakes. */
const subjects: { readonly [name in MistakeClass]: string } = {
  interrupted: "What to keep in memory",
  "stale-view": "How old may it be?",
  "missed-event": "Level, not edge",
  unretried: "Let errors end the reconcile",
  "lost-answer": "Use a name that is computed",
  handover: "What if the leader only seems dead?",
  suspended: "What if the leader only seems dead?",
  "wrong-clock": "machines don't agree",
  drift: "watches the children",
  upgrade: "An upgrade meets what the release before has left",
  rollback: "are rolled back",
  tightened: "tsbuilder api check",
  history: "deletes the child if",
  stuck: "What to keep in memory",
  collision: "belongs to another owner",
  order: "belongs to another owner",
  "hot-loop": "No times and counters",
  fight: "Omit the fields that others may set",
  hang: "Don't wait",
  overdue: "requeueAfter",
  leftover: "owner references can't reach",
  "foreign-object": "Objects of others",
  forbidden: "missing permission",
  error: "throws anything else",
  "observed-generation": "observedGeneration",
  conditions: "setCondition",
  "without-lease": "Controllers wait for the lease, and so do runnables",
  promise: "promises",
};

test.each(Object.entries(subjects))("what is said of %s is in the book", (name, subject) => {
  const link = bookPages[name as MistakeClass];
  expect(link.startsWith(bookAddress)).toBe(true);
  const [address = "", anchor] = link.slice(bookAddress.length).split("#");
  const page = readFileSync(join(repository, "src/book", address.replace(/\.html$/u, ".md")), "utf8");
  expect(page).toContain(subject);
  expect([...anchorsOf(page)]).toEqual(expect.arrayContaining(anchor === undefined ? [] : [anchor]));
  expect(readFileSync(join(repository, "src/book/guides/simulation.md"), "utf8")).toContain(`\`${name}\``);
});
