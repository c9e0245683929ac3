import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { bookAddress } from "../../shared/book-address.ts";
import { checkBook } from "./check-book.ts";
import {
  bookFolder,
  llmsFullText,
  llmsText,
  readPages,
  siteFolder,
  stagePages,
  stagedFolder,
} from "./pages.ts";
import { referencePages } from "./reference/reference-pages.ts";

stagePages(await referencePages());
await build(bookFolder);
const pages = readPages(stagedFolder);
writeFileSync(join(siteFolder, "llms.txt"), llmsText(pages, bookAddress));
writeFileSync(join(siteFolder, "llms-full.txt"), llmsFullText(pages));

if (process.argv.includes("--check")) {
  const problems = await checkBook(process.env["BOOK_BASE"] ?? new URL(bookAddress).pathname);
  for (const problem of problems) console.error(problem);
  const count = problems.length === 1 ? "1 thing" : `${problems.length} things`;
  console.log(problems.length === 0 ? "nothing is wrong with the book" : `${count} to mend`);
  if (problems.length > 0) process.exitCode = 1;
}
