import express, { type Express, type RequestHandler, Router } from "express";
import { CitewellError } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { sendHealth, setCommonHeaders } from "../../transports/http/response.ts";
import type { Store } from "../store/store.ts";
import { answerErrors } from "./reply.ts";

/** What the health routes need. */
export interface HealthOptions {
  store: Pick<Store, "query">;
  version: string;
  /** Aborts when the process takes no more calls: it is not ready any more. */
  draining: AbortSignal;
  log: Log;
}

/** `/healthz` and `/readyz` for load balancers. */
export function healthRoutes({ store, version, draining }: HealthOptions): Router {
  const router = Router();
  router.get("/healthz", (_request, response) => sendHealth(response, version));
  const sendReadiness: RequestHandler = async (_request, response) => {
    const isReady = !draining.aborted && (await isReachable(store));
    response.status(isReady ? 200 : 503).json({ ok: isReady });
  };
  router.get("/readyz", sendReadiness);
  return router;
}

/** All that a process without the role `web` serves. */
export function createHealthServer(options: HealthOptions): Express {
  const app = express().disable("x-powered-by").disable("etag");
  app.use(setCommonHeaders, healthRoutes(options));
  app.use(({ path }) => {
    throw new CitewellError("RouteNotFound", `no route ${path.slice(0, 200)}`, {
      hint: "this process is a worker: send calls to one with the role web",
    });
  });
  app.use(answerErrors(options.log));
  return app;
}

async function isReachable({ query }: Pick<Store, "query">): Promise<boolean> {
  try {
    await query("select 1");
    return true;
  } catch {
    return false;
  }
}
