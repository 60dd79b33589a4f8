import { ApplicationFailure } from '@temporalio/common';
import { APIError } from 'openai';
import { PointsmanError } from '../../src/contract';
import { classify, failureOf, ModelError } from '../../src/model';
import { retryAfterMs } from '../../src/model/errors';
import { quotable } from '../../src/model/redact';

test('Retry-After in all its spellings', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const of = (headers: Record<string, string>) => retryAfterMs(new Headers(headers), now);
  expect(of({ 'retry-after': '3' })).toBe(3000);
  expect(of({ 'retry-after': ' 1.5s ' })).toBe(1500);
  expect(of({ 'retry-after-ms': '20', 'retry-after': '3' })).toBe(20);
  expect(of({ 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' })).toBe(60_000);
  for (const bad of ['', 'soon', '-5', 'NaN', 'Infinity', '1e9', 'Thu, 01 Jan 2020 00:00:00 GMT', '2030']) {
    const wait = of({ 'retry-after': bad });
    expect(wait === undefined || wait <= 900_000).toBe(true);
  }
  expect(retryAfterMs(undefined)).toBeUndefined();
});

test('words of a server are clipped after they are cleaned', () => {
  const key = 'local-key-12345';
  const text = quotable(`${'a'.repeat(2030)} Authorization: Bearer ${key} ${'é'.repeat(3000)}`, [key]);
  expect(text).not.toContain('local-k');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
  expect(quotable('<html><style>x{}</style><h1>No</h1></html>')).toBe('No');
  expect(quotable('\u001b[31mred\u0000 \uD83D')).toBe('[31mred');
  expect(quotable('api_key=abcdef&x=1 http://u:pw@h/')).toBe('api_key=[redacted]&x=1 http://[redacted]@h/');
});

test('classify leaves aborts and our own errors alone, and knows a stranger', () => {
  const context = { profile: 'p', secrets: [] };
  const abort = new DOMException('no', 'AbortError');
  expect(classify(abort, context)).toBe(abort);
  const own = new PointsmanError('InvalidInput', 'x');
  expect(classify(own, context)).toBe(own);
  expect(classify(new TypeError('oops'), context)).toMatchObject({ code: 'Unavailable' });
  const redirect = new APIError(307, undefined, undefined, new Headers());
  expect(classify(redirect, context)).toMatchObject({
    code: 'ModelRejected',
    hint: expect.stringContaining('baseUrl'),
  });
});

test('failures for Temporal', () => {
  const limited = failureOf(new ModelError('RateLimited', 'slow down', 'wait', true, 7000)) as ApplicationFailure;
  expect(limited).toBeInstanceOf(ApplicationFailure);
  expect(limited).toMatchObject({ type: 'RateLimited', nonRetryable: false, nextRetryDelay: 7000, category: 'BENIGN' });
  const rejected = failureOf(new ModelError('ModelRejected', 'no', 'look', false)) as ApplicationFailure;
  expect(rejected).toMatchObject({ type: 'ModelRejected', nonRetryable: true, message: 'no — look' });
  expect(rejected.category ?? null).toBeNull();
  expect(failureOf(new PointsmanError('BudgetExhausted', 'b'))).toMatchObject({ nonRetryable: true });
  const other = new Error('cancelled');
  expect(failureOf(other)).toBe(other);
});
