import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";

const tsx = import.meta.resolve("tsx");

interface Run {
  /** The young generation of a process that keeps what it allocates, in megabytes. */
  readonly young: number;
  readonly complaints: string;
}

function run(command: string): Run {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { fitShortRun } from ${JSON.stringify(import.meta.resolve("./scripts.ts"))};
    fitShortRun(${JSON.stringify(command.split(" "))});
    const kept = Array.from({ length: 500_000 }, (_, index) => ({ index }));
    const { space_size } = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    process.stdout.write(String(kept.length && space_size / 2 ** 20));`;
  const args = ["--conditions=@tsbuilder/source", "--import", tsx, "--input-type=module", "--eval", script];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { young: Number(stdout), complaints: stderr };
}

describe("the young generation of V8", () => {
  it.each(["manifests", "create api --kind Cluster"])("stays small in tsbuilder %s", (command) => {
    expect(run(command).young).toBeLessThanOrEqual(4);
  });

  it.each(["dev", "cluster start", "manifests --watch"])("grows in tsbuilder %s, which stays", (command) => {
    expect(run(command).young).toBeGreaterThan(4);
  });
});

it("gives V8 flags that it knows", () => {
  expect(run("manifests").complaints).toBe("");
});
