import { expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();
const image = "registry.example.com/mysql-operator-bundle:v1.0.0";

/** Calls tsbuilder in an empty folder. */
async function call(...words: string[]): Promise<readonly string[]> {
  const notes: string[] = [];
  const host = { print: () => {}, note: (text: string) => void notes.push(text), isInteractive: false };
  return dispatch(words, folder.root, host).then(
    () => notes,
    (error: Error) => [...notes, error.message],
  );
}

const noBundle = '"bundle" is not a folder';

test.each(["bundle", "bundle-upgrade"])(
  "run %s leaves out operator-sdk's flags for pulling",
  async (name) => {
    expect(await call("run", name, "--use-http", "--skip-tls", image)).toEqual([
      "--use-http is ignored: no image is pulled on this machine",
      "--skip-tls is ignored: no image is pulled on this machine",
      noBundle,
    ]);
    expect(await call("run", name, "--service-account", "catalog", image)).toEqual([
      "--service-account is ignored: the catalog's pod needs no rights",
      noBundle,
    ]);
  },
);

test("run bundle takes times as Go does, and a channel with a catalog only", async () => {
  expect(await call("run", "bundle", image, "--timeout", "5m", "-n", "shop")).toEqual([noBundle]);
  expect(await call("run", "bundle", image, "--timeout", "90")).toEqual([noBundle]);
  expect(await call("run", "bundle", image, "--timeout", "soon")).toEqual([
    '--timeout "soon" is not a duration',
  ]);
  expect(await call("run", "bundle", image, "--channel", "stable")).toEqual([
    "--channel is for a catalog that is an image",
  ]);
});

test("cleanup refuses to keep what it does not name", async () => {
  expect(await call("cleanup", "mysql-operator", "--delete-all=false")).toEqual([
    "--delete-all=false does not say what to keep",
  ]);
});
