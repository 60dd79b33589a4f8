-- Answered calls. A row is written once; another question in its place replaces it.
create table pointsman.answers (
  run text not null,
  turn int not null,
  attempt int not null,
  request text not null,
  answer text not null,
  recorded_at timestamptz not null default now(),
  primary key (run, turn, attempt)
);

-- Answers by what was asked: embeddings and scores.
create table pointsman.paid_answers (
  kind text not null,
  request text not null,
  answer text not null,
  primary key (kind, request)
);

create table pointsman.timings (
  run text not null,
  turn int not null,
  timing text not null,
  primary key (run, turn)
);

-- Texts under names: `room` says of what.
create table pointsman.documents (
  room text not null,
  name text not null,
  body text not null,
  primary key (room, name)
);

-- Calls of models under way, for limits that all hosts share.
create table pointsman.places (
  name text not null,
  holder uuid not null,
  until timestamptz not null,
  primary key (name, holder)
);

-- Dollars as decimals: thousands of cents add up to what they are.
create table pointsman.budgets (
  name text primary key,
  spent numeric not null default 0,
  reserved numeric not null default 0
);

create table pointsman.budget_calls (
  budget text not null references pointsman.budgets (name),
  call text not null,
  usd numeric not null,
  settled boolean not null,
  primary key (budget, call)
);
create index on pointsman.budget_calls (budget) where not settled;

-- Each movement locks its budget's row first, so that movements happen one after the other and each sees all before it.
-- The hair is for caps that are sums of thousands of cents in another arithmetic.
create function pointsman.budget_lock(b text) returns pointsman.budgets language plpgsql as $$
declare
  found pointsman.budgets;
begin
  insert into pointsman.budgets (name) values (b) on conflict do nothing;
  select * into found from pointsman.budgets where name = b for update;
  return found;
end $$;

create function pointsman.budget_reserve(b text, c text, amount numeric, cap numeric) returns text language plpgsql as $$
declare
  now_at pointsman.budgets := pointsman.budget_lock(b);
  hair constant numeric := 1e-9;
begin
  if exists (select from pointsman.budget_calls where budget = b and call = c) then return 'granted'; end if;
  if now_at.spent + amount > cap + hair then return 'spent'; end if;
  if now_at.spent + now_at.reserved + amount > cap + hair then return 'in-flight'; end if;
  insert into pointsman.budget_calls values (b, c, amount, false);
  update pointsman.budgets set reserved = reserved + amount where name = b;
  return 'granted';
end $$;

create function pointsman.budget_release(b text, c text) returns void language plpgsql as $$
declare
  freed numeric;
begin
  perform pointsman.budget_lock(b);
  delete from pointsman.budget_calls where budget = b and call = c and not settled returning usd into freed;
  update pointsman.budgets set reserved = reserved - coalesce(freed, 0) where name = b;
end $$;

create function pointsman.budget_settle(b text, c text, amount numeric) returns void language plpgsql as $$
begin
  perform pointsman.budget_lock(b);
  if exists (select from pointsman.budget_calls where budget = b and call = c and settled) then return; end if;
  perform pointsman.budget_release(b, c);
  insert into pointsman.budget_calls values (b, c, amount, true);
  update pointsman.budgets set spent = spent + amount where name = b;
end $$;

-- A place below a limit, if there is one; who died over his gives it back when its time is over.
create function pointsman.place_take(n text, h uuid, most int, seconds double precision) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('pointsman.places ' || n, 0));
  delete from pointsman.places where name = n and until < clock_timestamp();
  if exists (select from pointsman.places where name = n and holder = h) then return true; end if;
  if (select count(*) from pointsman.places where name = n) >= most then return false; end if;
  insert into pointsman.places values (n, h, clock_timestamp() + make_interval(secs => seconds));
  return true;
end $$;
