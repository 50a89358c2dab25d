// Metrics: the catalogue and the instruments are one, and a page shows what was counted.

import { metricCatalogue } from '@firetrident/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MetricsDesk } from './metrics.ts';

describe('metrics', () => {
  let desk: MetricsDesk;
  beforeEach(() => {
    desk = new MetricsDesk(
      () => [],
      () => ({ observers: 0, agents: 0 }),
    );
  });
  afterEach(() => desk.close());

  test('[MT1] every entry of the catalogue has its instrument, and no other exists', async () => {
    const { bytes } = await desk.page(null);
    const published = [...String(bytes).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
    expect(published.sort()).toEqual(
      Object.entries(metricCatalogue)
        .map(([name, { type }]) => [name, type])
        .sort(),
    );
    expect([...desk.names].sort()).toEqual(Object.keys(metricCatalogue).sort());
  });

  test('calls and outcomes are counted', async () => {
    desk.answered('take', 200, 0.2);
    desk.answered('take', 409, 0.2);
    desk.happened('web', [{ kind: 'unchanged', at: 1, proposal: 'prp_1', intent: 'int_1', agent: 'agt_1' }], 7);
    const text = String((await desk.page(null)).bytes);
    expect(text).toContain('firetrident_http_requests_total{endpoint="take",status="409"} 1');
    expect(text).toContain('firetrident_http_request_seconds_count{endpoint="take"} 2');
    expect(text).toContain('firetrident_outcomes_total{colony="web",outcome="unchanged"} 1');
    expect(text).toContain('firetrident_sequence{colony="web"} 7');
  });

  test('the page of one colony holds its lines only, and a deleted one has none', async () => {
    desk.framesSent('web', 3);
    desk.framesSent('other', 4);
    const text = String((await desk.page('web')).bytes);
    expect(text).toContain('firetrident_live_frames_total{colony="web"} 3');
    expect(text).toContain('# TYPE firetrident_live_frames_total counter');
    expect(text).not.toContain('other');
    expect(text).not.toContain('firetrident_process');
    await desk.forget('web');
    expect(String((await desk.page(null)).bytes)).not.toContain('"web"');
    expect(String((await desk.page('other')).bytes)).toContain('{colony="other"} 4');
  });
});
