import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../../support/source-imports.ts";
import { describeApi } from "./describe-api.ts";

/** The packages that users import, by their folder with `package.json`, and where their declarations are. */
const packages = [
  { folder: "src/apimachinery", types: "src/apimachinery/dist" },
  { folder: "src/cluster", types: "src/cluster/dist" },
  { folder: "src/runtime", types: "src/runtime/dist" },
  { folder: "src/simulation", types: "src/simulation/dist" },
  { folder: ".", types: "dist/lib" },
];

/** A committed text that shows every change of a package's API, and what it has to be. */
export interface ApiReport {
  readonly path: string;
  readonly text: string;
}

/** The reports of what was built. */
export function makeApiReports(): ApiReport[] {
  return packages.map(({ folder, types }) => {
    const manifest = JSON.parse(readFileSync(join(repository, folder, "package.json"), "utf8")) as Manifest;
    const entries = new Map(
      Object.entries(manifest.exports).flatMap(([subpath, target]) => list(folder, subpath, target)),
    );
    const head = `# The API of ${manifest.name}\n\nWritten by \`npm run lab -- api\`, to be read when it changes: \`.github/RELEASING.md\` says which changes are breaking.\n\n`;
    const name = folder === "." ? "src/plugins" : folder;
    const text = describeApi({ folder: join(repository, types), entries });
    return { path: `${name}/api-report.md`, text: head + text };
  });
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** The entry points of an export. Those of built-in kinds are Kubernetes' own, and are left out. */
function list(folder: string, subpath: string, target: Manifest["exports"][string]): [string, string][] {
  if (typeof target === "string" || subpath.startsWith("./k8s/")) return [];
  const file = join(repository, folder, target.types);
  if (!file.includes("*")) return [[subpath, file]];
  const [before = "", after = ""] = file.split("*");
  return readdirSync(before)
    .filter((name) => existsSync(`${before}${name}${after}`))
    .map((name) => [subpath.replace("*", name), `${before}${name}${after}`]);
}
