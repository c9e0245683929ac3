import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vitepress";
import { bookAddress } from "../../shared/book-address.ts";
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
