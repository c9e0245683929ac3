import { planImport } from "../../../src/importer/plan-import.ts";
import { planProjectChange } from "../../../src/plugins/plan-project.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";
import { downloadGoModule } from "../../support/go-module.ts";

// Imports kubebuilder projects of others in memory, and prints a row about each. Without arguments they are pinned Go modules, which come
// from Go's module proxy; an argument is the folder of a project. What differs is printed below its row.

const pinned = [
  "github.com/cloudnative-pg/cloudnative-pg@v1.25.0",
  "github.com/k8ssandra/cass-operator@v1.22.4",
  "github.com/mariadb-operator/mariadb-operator@v0.38.1",
  "github.com/pravega/zookeeper-operator@v0.2.15",
  "github.com/ray-project/kuberay/ray-operator@v1.5.1",
  "sigs.k8s.io/jobset@v0.10.1",
  "sigs.k8s.io/lws@v0.7.0",
];

const folders = process.argv.slice(2);
const projects =
  folders.length > 0
    ? folders.map((folder) => ({ name: folder, folder }))
    : pinned.map((module) => ({ name: module, folder: downloadGoModule(module).Dir }));
console.log(
  "| project | kinds | controllers | CRDs compared | different | within Kubernetes' types | left to you |",
);
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const { name, folder } of projects) {
  const imported = await planImport(folder, { cliVersion: "0.0.0-lab" });
  const { project, boilerplate, content, generate } = imported;
  const tree = memoryTree();
  await planProjectChange({
    folder,
    tree,
    before: undefined,
    after: project,
    boilerplate,
    imported: content,
    generate,
  });
  const { comparison, errors, leftOut } = imported.report();
  const own = project.resources.filter(({ origin }) => origin.type === "own");
  const controllers = project.resources.flatMap((resource) => resource.controllers);
  const compared = [comparison?.crds, comparison?.differences, comparison?.kubernetes].map(
    (list) => list?.length ?? "–",
  );
  console.log(`| ${[name, own.length, controllers.length, ...compared, leftOut.length].join(" | ")} |`);
  for (const line of [...errors, ...(comparison?.differences ?? [])]) console.error(`  ${line}`);
  if (errors.length > 0 || (comparison?.differences.length ?? 0) > 0) process.exitCode = 1;
}
