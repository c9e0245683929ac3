import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../support/source-imports.ts";
import { makeApiReports } from "./api-reports.ts";

for (const { path, text } of makeApiReports()) writeFileSync(join(repository, path), text);
