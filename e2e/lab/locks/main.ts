import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { repository } from "../../support/source-imports.ts";
import { makeLock } from "./make-lock.ts";
import { moveTemplates } from "./move-templates.ts";
import { makeOtherLocks } from "./other-locks.ts";

/** Writes the lock files of new projects anew: see README.md. */
const { values } = parseArgs({ options: { newest: { type: "boolean", default: false } } });
if (values.newest) for (const moved of moveTemplates()) console.log(moved);
const { lock, text, heldBack } = await makeLock();
for (const one of heldBack) console.log(`held back: ${one}`);
const folder = join(repository, "templates/locks");
mkdirSync(folder, { recursive: true });
for (const [name, content] of [["npm.json", text] as const, ...(await makeOtherLocks(lock))])
  writeFileSync(join(folder, name), content);
console.log(
  values.newest
    ? "Next: npm install, npm run build, npm test, npm run lab -- strangers"
    : "Next: npm run build, npm test, npm run lab -- strangers",
);
