import { clusterStages } from "./cluster.ts";
import { conceptStages } from "./concepts.ts";
import { guideStages } from "./guides.ts";
import { rootStages } from "./root.ts";
import { clientStages } from "./runtime-client.ts";
import { managerStages } from "./runtime-manager.ts";
import { testStages } from "./runtime-tests.ts";
import { pluginStages } from "./plugins.ts";
import { simulationStages } from "./simulation.ts";
import type { Stages } from "./stage.ts";

export const stages: Stages = {
  ...rootStages,
  ...managerStages,
  ...clientStages,
  ...testStages,
  ...clusterStages,
  ...pluginStages,
  ...conceptStages,
  ...guideStages,
  ...simulationStages,
};
