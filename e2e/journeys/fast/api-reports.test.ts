import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeApiReports } from "../../rules/api/api-reports.ts";
import { repository } from "../../support/source-imports.ts";

test.each(makeApiReports())(
  "$path shows the API that was built: else npm run build && npm run lab -- api",
  ({ path, text }) => {
    const file = join(repository, path);
    expect(existsSync(file) ? readFileSync(file, "utf8") : "").toBe(text);
  },
);
