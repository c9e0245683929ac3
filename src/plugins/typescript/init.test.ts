import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const hasMake = ["/usr/bin/make", "/bin/make", "/usr/local/bin/make"].some((path) => existsSync(path));

/** The commands of a target, which make prints and does not run. */
function commands(...words: string[]): string {
  const args = ["--dry-run", "--no-print-directory", ...words];
  return execFileSync("make", args, { cwd: folder.root, encoding: "utf8" })
    .replaceAll(/ +/gu, " ")
    .replaceAll(/ $/gmu, "");
}

test.skipIf(!hasMake)("the Makefile hands on what is set on its command line", async () => {
  await folder.initialize();
  expect(commands("docker-build")).toBe("npm run docker-build -- controller:latest\n");
  expect(
    commands(
      "docker-build",
      "IMG=r.io/op:v1",
      "BASE_IMAGE=r.io/node:22",
      "NPM_REGISTRY=http://127.0.0.1:4873",
    ),
  ).toBe(
    "npm run docker-build -- r.io/op:v1 --build-arg BASE_IMAGE=r.io/node:22 --build-arg NPM_REGISTRY=http://127.0.0.1:4873\n",
  );
  expect(commands("deploy").split("\n").at(-2)).toBe("npm run deploy --");
  expect(commands("deploy", "IMG=r.io/op:v1").split("\n").at(-2)).toBe(
    "npm run deploy -- --image r.io/op:v1",
  );
  expect(commands("deploy", "IMG=controller:latest").split("\n").at(-2)).toBe(
    "npm run deploy -- --image controller:latest",
  );
  expect(commands("deploy", "IMG=").split("\n").at(-2)).toBe("npm run deploy --");
  expect(commands("cleanup-test-e2e")).toBe("kind delete cluster --name shop-test-e2e\n");
});

test.skipIf(!hasMake).each([
  { before: ["kind"], status: 0, after: ["kind"] },
  { before: ["kind"], status: 1, after: ["kind"] },
  { before: ["other"], status: 0, after: ["other"] },
  { before: ["other"], status: 1, after: ["other", "kind"] },
])(
  "test-e2e deletes the cluster that it created, if the tests pass: $before, exit code $status",
  async ({ before, status, after }) => {
    await folder.initialize();
    const clusters = join(folder.root, "clusters");
    writeFileSync(clusters, before.map((name) => `${name}\n`).join(""));
    writeFileSync(
      join(folder.root, "kind"),
      `#!/bin/sh
case $1 in
  get) cat "${clusters}" ;;
  create) echo "$4" >> "${clusters}" ;;
  delete) grep -vx "$4" "${clusters}" > "${clusters}.left"; mv "${clusters}.left" "${clusters}" ;;
esac
`,
      { mode: 0o755 },
    );
    const npm = `#!/bin/sh\n[ "$2" != test-e2e ] || exit ${status}\n`;
    writeFileSync(join(folder.root, "npm"), npm, { mode: 0o755 });
    const path = `${folder.root}${delimiter}${process.env["PATH"]}`;
    const env = { ...process.env, PATH: path, KIND_CLUSTER: "kind" };
    const made = spawnSync("make", ["test-e2e"], { cwd: folder.root, env, encoding: "utf8" });
    expect(made.status).toBe(status && 2);
    expect(readFileSync(clusters, "utf8").split("\n").slice(0, -1)).toEqual(after);
  },
);

test("a project lists no folder and has no test of webhooks before there is one", async () => {
  await folder.initialize();
  const layout = [...folder.read("README.md").matchAll(/^\| `([^`]+)`/gmu)].map(([, path]) => path!);
  await folder.call("create api --group apps --version v1 --kind Order --make=false");
  expect(layout.filter((path) => !existsSync(join(folder.root, path)))).toEqual([]);
  const before = folder.snapshot();
  expect(Object.keys(before).filter((path) => /webhook/u.test(path))).toEqual([]);
  await folder.call("create webhook --group apps --version v1 --kind Order --defaulting --make=false");
  expect(folder.read("test/e2e/e2e.test.ts")).toContain("expect.poll(untrustedWebhooks,");
  await folder.call("delete webhook --group apps --version v1 --kind Order --defaulting --make=false");
  expect(folder.read("test/e2e/e2e.test.ts")).toBe(before["test/e2e/e2e.test.ts"]);
  expect(existsSync(join(folder.root, "test/e2e/untrusted-webhooks.ts"))).toBe(false);
});

test("a person's own end-to-end test is left as it is when the first webhook is added", async () => {
  await folder.initialize();
  await folder.call("create api --group apps --version v1 --kind Order --make=false");
  const file = join(folder.root, "test/e2e/e2e.test.ts");
  writeFileSync(file, "// mine\n");
  await folder.call("create webhook --group apps --version v1 --kind Order --defaulting --make=false");
  expect(folder.read("test/e2e/e2e.test.ts")).toBe("// mine\n");
  expect(await folder.call("doctor")).not.toContain("test/e2e");
});
