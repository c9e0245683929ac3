import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { referenceTemplates } from "../../../src/plugins/typescript/reference-templates.ts";
import { repository } from "../../support/source-imports.ts";
import { makeLock } from "./make-lock.ts";
import { moveTemplates } from "./move-templates.ts";
import { makeOtherLocks } from "./other-locks.ts";

/** Writes the lock files of new projects anew: see README.md. */
const { values } = parseArgs({ options: { newest: { type: "boolean", default: false } } });
if (values.newest) for (const moved of moveTemplates()) console.log(moved);
await writeLocks("");
for (const { name, packages } of referenceTemplates) if (packages) await writeLocks(name, packages);
console.log(
  values.newest
    ? "Next: npm install, npm run build, npm test, npm run lab -- strangers"
    : "Next: npm run build, npm test, npm run lab -- strangers",
);

/** Writes the lock files of projects without a template, or of those with the packages of one. */
async function writeLocks(template: string, packages: Readonly<Record<string, string>> = {}): Promise<void> {
  const { lock, text, heldBack } = await makeLock(template === "" ? {} : { template });
  for (const one of heldBack) console.log(`held back: ${one}`);
  const folder = join(repository, "templates/locks", ...Object.keys(packages));
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of [["npm.json", text] as const, ...(await makeOtherLocks(lock, packages))])
    writeFileSync(join(folder, name), content);
}
