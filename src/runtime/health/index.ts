export { type HealthCheck, HealthChecks, type HealthReport } from "./health-checks.ts";
