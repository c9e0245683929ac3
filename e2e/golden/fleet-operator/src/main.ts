/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { Manager } from "@tsbuilder/runtime";
import { setupCaptainController as setupCrewCaptainController } from "./controller/crew/captain_controller.ts";
import { setupCaptainBackupController as setupCrewCaptainBackupController } from "./controller/crew/captain_backup_controller.ts";
import { setupFrigateController as setupShipFrigateController } from "./controller/ship/frigate_controller.ts";
import { setupBarController as setupFizBarController } from "./controller/fiz/bar_controller.ts";
import { setupBarValidator as setupFizBarValidator } from "./webhook/fiz/v1/bar_validator.ts";
import { setupBarController as setupFooPolicyBarController } from "./controller/foo.policy/bar_controller.ts";
import { setupBarValidator as setupFooPolicyBarValidator } from "./webhook/foo.policy/v1/bar_validator.ts";
import { setupDeploymentController as setupAppsDeploymentController } from "./controller/apps/deployment_controller.ts";
import { setupPodDefaulter as setupCorePodDefaulter } from "./webhook/core/v1/pod_defaulter.ts";
// +tsbuilder:scaffold:imports

// The library provides flags (`npm run build && npm start -- --help`), probes, metrics, leader election and TLS.
const manager = Manager.fromArgs({
  name: "fleet-operator",
  leaderElectionId: "7024d776.example.com",
});

setupCrewCaptainController(manager);
setupCrewCaptainBackupController(manager);
setupShipFrigateController(manager);
setupFizBarController(manager);
setupFizBarValidator(manager);
setupFooPolicyBarController(manager);
setupFooPolicyBarValidator(manager);
setupAppsDeploymentController(manager);
setupCorePodDefaulter(manager);
// +tsbuilder:scaffold:setup

// Resolves after SIGTERM, once running reconciles have finished.
await manager.start();
