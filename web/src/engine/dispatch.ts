import type { Estimate, OwnershipAnswer, RankAnswer, Scenario } from '../generated/contract.js';
import { makeIndex } from './catalog-index.js';
import type { Answer, CallName, Calls, Engine } from './protocol.js';

const parse = <T>(json: string): Answer<T> => JSON.parse(json) as Answer<T>;

/** The link functions speak the query itself; an error comes as JSON. */
function asQuery(output: string): Answer<string> {
  if (!output.startsWith('{') && !output.startsWith('"')) return output;
  const value: unknown = JSON.parse(output);
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'query' in value) return String(value.query);
  return value as Answer<string>;
}

function asScenario(output: string): Answer<Scenario> {
  const value = JSON.parse(output) as Record<string, unknown>;
  return (value['scenario'] ?? value) as Answer<Scenario>;
}

/** A question about every GPU: the chosen GPU is pinned by the page, not asked for alone. */
export function rankQuestion(scenario: Scenario): Scenario {
  if (!scenario.model && scenario.workload !== 'hpc') return scenario;
  const { gpu: _gpu, ...rest } = scenario;
  return rest;
}

/** Answers one call; shared by the worker and by callers that run on one thread (widget under a strict host, tests). */
export function makeDispatch(engine: Engine, catalog: unknown): <K extends CallName>(call: K, input: Calls[K]['in']) => Calls[K]['out'] {
  const estimate = (scenario: Scenario) => parse<Estimate>(engine.estimate(JSON.stringify(scenario)));
  const handlers: { [K in CallName]: (input: Calls[K]['in']) => Calls[K]['out'] } = {
    start: ({ query }) => ({
      index: makeIndex(catalog),
      scenario: query === '' ? {} : asScenario(engine.link_decode(query)),
      evidence: engine.load_measurements !== undefined,
    }),
    ask: ({ scenario, by }) => ({
      answer: parse<RankAnswer>(engine.rank(JSON.stringify({ ...rankQuestion(scenario), rank_by: by }))),
      query: asQuery(engine.link_encode(JSON.stringify(scenario))),
    }),
    estimate: ({ scenario }) => estimate(scenario),
    series: ({ scenarios }) => scenarios.map(estimate),
    ownership: ({ scenario }) =>
      engine.ownership ? parse<OwnershipAnswer>(engine.ownership(JSON.stringify(scenario))) : { error: { code: 'unsupported', path: '', message: 'this build of the core has no ownership' } },
    decode: ({ query }) => asScenario(engine.link_decode(query)),
    encode: ({ scenario }) => asQuery(engine.link_encode(JSON.stringify(scenario))),
    measurements: ({ text }) => (engine.load_measurements ? parse<unknown>(engine.load_measurements(text)) : {}),
  };
  return (call, input) => handlers[call](input);
}
